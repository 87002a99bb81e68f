/** The library's types leave its cursor out. */
declare module "avsc/lib/utils.js" {
  interface Tap {
    readonly buf: Buffer;
    pos: number;
    readLong(): number;
    skipString(): void;
  }
  const utils: { Tap: { prototype: Tap } };
  // biome-ignore lint/style/noDefaultExport: the module is CommonJS
  export default utils;
}
