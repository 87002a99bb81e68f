// Images that the Dockerfile and the compose files name: by tag in the repository, by tag and digest in a release.

/** Where a file names an image that is not built here. */
const NAMED = /(?<=^(?:ARG [A-Z]+_IMAGE=| +image: ))[a-z][^\s${}]*$/gm;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** By tag, each once, in the file's order; a digest is left out. */
export function imagesIn(text: string): string[] {
  return [...new Set(named(text).map(withoutDigest))];
}

/** Those that a registry may answer with something else tomorrow. */
export function unpinnedIn(text: string): string[] {
  return [...new Set(named(text).filter((image) => !DIGEST.test(image.split("@")[1] ?? "")))];
}

/** Each image with its digest in `digests`, by tag. Throws for one that is not there, or is no digest. */
export function pinned(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(NAMED, (image) => {
    const tagged = withoutDigest(image);
    const digest = digests.get(tagged) ?? "";
    if (!DIGEST.test(digest)) throw new Error(`${tagged} has no digest: ${JSON.stringify(digest)}`);
    return `${tagged}@${digest}`;
  });
}

export function withoutDigest(image: string): string {
  return image.split("@")[0] ?? image;
}

function named(text: string): string[] {
  return text.match(NAMED) ?? [];
}
