// Uploads the members of a list: held first, so that the differences are seen before they are made.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Fragment, useId, useState } from "react";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas, upload } from "../../../api/client.ts";
import { Action } from "../../../elements/action.tsx";
import { Answer, ProblemNote } from "../../../elements/answer.tsx";
import { Facts } from "../../../elements/facts.tsx";
import { Choice, submitting, TextInput } from "../../../elements/fields.tsx";
import { useFilters } from "../../../elements/filters.tsx";
import { Page } from "../../../elements/page.tsx";
import { State } from "../../../elements/state.tsx";
import { Text } from "../../../elements/text.tsx";
import { amount } from "../../../elements/times.ts";
import { WithScope } from "../../../elements/with-scope.tsx";
import { described, importIdOf } from "./file.ts";

type Import = Schemas["Import"];

const MODES = [
  ["replace", "exactly those that the file names"],
  ["add", "those that it names, too"],
  ["remove", "the present ones without those that it names"],
] as const;

const ENDED: readonly string[] = ["applied", "refused"];
const WATCH_MS = 1_000;

interface Upload {
  readonly file: File;
  readonly importId: string;
  readonly mode: string;
}

async function send(id: string, { file, importId, mode }: Upload): Promise<Import> {
  const { contentType, isCompressed } = described(file.name);
  // A browser does not read a file that was saved since, and its upload would fail as if control were away.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new Error("The file has changed since it was chosen: choose it again.");
    });
  const path = `/v1/audiences/${encodeURIComponent(id)}/members/${encodeURIComponent(importId)}`;
  const query = new URLSearchParams({ mode, hold: "true" });
  return await upload<Import>(`${path}?${query}`, file, {
    "content-type": contentType,
    ...(isCompressed && { "content-encoding": "gzip" }),
  });
}

function Uploading({ id, show }: { readonly id: string; readonly show: (importId: string) => void }) {
  const fileId = useId();
  const [file, setFile] = useState<File>();
  const [importId, setImportId] = useState("");
  const [mode, setMode] = useState<string>("replace");
  const { error, isPending, mutate } = useMutation({
    mutationFn: (given: Upload) => send(id, given),
    onSuccess: (made, sent) => {
      // What is uploaded next is another import, also where it is the same file.
      setImportId((now) => (now === sent.importId ? importIdOf(sent.file.name, new Date()) : now));
      show(made.id);
    },
  });
  return (
    <form
      className="edit"
      onSubmit={submitting(() => {
        if (file !== undefined) mutate({ file, importId, mode });
      })}
    >
      <fieldset>
        <legend>A file of members</legend>
        <div className="field">
          <label htmlFor={fileId}>CSV with a column userId, or NDJSON; either may be .gz</label>
          <input
            id={fileId}
            type="file"
            accept=".csv,.ndjson,.jsonl,.gz,text/csv"
            // To choose the same file again is a choice, too.
            onClick={({ currentTarget }) => {
              currentTarget.value = "";
              setFile(undefined);
            }}
            onChange={({ target }) => {
              const chosen = target.files?.[0];
              setFile(chosen);
              if (chosen !== undefined) setImportId(importIdOf(chosen.name, new Date()));
            }}
          />
        </div>
        <Choice label="Members are then" value={mode} choices={MODES} change={setMode} />
        <TextInput label="Import id: counts once" value={importId} change={setImportId} />
      </fieldset>
      <button type="submit" className="main" disabled={file === undefined || isPending}>
        {isPending ? "Uploading …" : "Upload it, and show the differences"}
      </button>
      {error !== null && <ProblemNote error={error} />}
    </form>
  );
}

function Progress({ progress }: Pick<Import, "progress">) {
  if (progress === null) return <p>It is compared with the list …</p>;
  const { changes = 0, written = 0 } = progress;
  return (
    <p>
      <progress aria-label="Changes that are on their way" value={written} max={Math.max(changes, 1)} />{" "}
      {written.toLocaleString("en")} of {changes.toLocaleString("en")} changes are on their way
    </p>
  );
}

function Confirm({ of: { audienceId, id, added, removed } }: { readonly of: Import }) {
  return (
    <Action
      label="Apply it"
      question={`Onto the list: ${amount(added, "user")}; off it: ${amount(removed, "user")}, compared once more with the list as it is then. Destinations are sent each change.`}
      run={() =>
        answerOf(
          api.POST("/v1/audiences/{id}/imports/{importId}/confirm", {
            params: { path: { id: audienceId, importId: id } },
          }),
        )
      }
      done={() => "It is being applied."}
    />
  );
}

interface NamesProps {
  readonly of: Import["affects"]["audiences"];
  readonly section: string;
}

function Names({ of: { first, total }, section }: NamesProps) {
  return (
    <>
      {first.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ", "}
          <Link to={`${section}/${encodeURIComponent(id)}`}>
            <Text most={60}>{name}</Text>
          </Link>
        </Fragment>
      ))}
      {total > first.length && ` and ${(total - first.length).toLocaleString("en")} others`}
    </>
  );
}

function Affects({ of: { audiences, destinations } }: { readonly of: Import["affects"] }) {
  return (
    <>
      {audiences.total > 0 && (
        <p>
          Audiences that name the list, and change with it: <Names of={audiences} section="/audiences" />.
        </p>
      )}
      <p>
        {destinations.total === 0 ? (
          "No destination is connected to audiences: nobody is sent the changes."
        ) : (
          <>
            Each change is sent to <Names of={destinations} section="/destinations" />.
          </>
        )}
      </p>
    </>
  );
}

function Shown({ of }: { readonly of: Import }) {
  const {
    added,
    affects,
    audienceName,
    errors,
    id,
    mode,
    progress,
    removed,
    rows,
    status,
    suppressed,
    users,
  } = of;
  const numbers = Object.entries({
    Rows: rows,
    Users: users,
    Added: added,
    Removed: removed,
    Suppressed: suppressed,
  });
  return (
    <section aria-label="Differences">
      <h2>
        <Text>{id}</Text> <State of={status} />
      </h2>
      <p>
        Members of <Text most={100}>{audienceName}</Text> are then {MODES.find(([one]) => one === mode)?.[1]}.
      </p>
      <Facts of={Object.fromEntries(numbers.map(([name, count]) => [name, count.toLocaleString("en")]))} />
      <Affects of={affects} />
      {status === "staged" && <Progress progress={progress} />}
      {status === "held" && <p>Nothing is changed yet, and nothing is unless somebody applies it.</p>}
      {status === "held" && <Confirm of={of} />}
      {errors.map(({ message, path }) => (
        <p className="bad" key={`${path} ${message}`}>
          <code>{path}</code> <Text most={500}>{message}</Text>
        </p>
      ))}
    </section>
  );
}

function Watched({ id, importId }: { readonly id: string; readonly importId: string }) {
  const query = useQuery({
    queryKey: ["import", id, importId],
    queryFn: () =>
      answerOf(api.GET("/v1/audiences/{id}/imports/{importId}", { params: { path: { id, importId } } })),
    refetchInterval: ({ state }) => (ENDED.includes(state.data?.status ?? "") ? false : WATCH_MS),
  });
  return <Answer query={query}>{(found) => <Shown of={found} />}</Answer>;
}

export function ImportMembers() {
  const { id = "" } = useParams();
  const filters = useFilters();
  const importId = filters.get("import");
  return (
    <Page
      title="Upload members"
      beside={
        <Link to=".." relative="path">
          The list
        </Link>
      }
    >
      <WithScope scope="write" to="To upload members">
        <Uploading id={id} show={(made) => filters.set("import", made)} />
      </WithScope>
      {importId !== undefined && <Watched id={id} importId={importId} />}
    </Page>
  );
}
