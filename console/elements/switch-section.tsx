// What is switched, and deleted, at the end of a page.
import type { ComponentProps } from "react";
import { useNavigate } from "react-router";
import { Action } from "./action.tsx";
import { WithScope } from "./with-scope.tsx";

type Deed = ComponentProps<typeof Action>;
type Texts = Readonly<Record<"on" | "off" | "gone", string>>;

interface SwitchSectionProps {
  /** What a token is needed for: "To change a source". */
  readonly to: string;
  readonly isOn: boolean;
  readonly labels?: Pick<Texts, "on" | "off"> & { readonly title: string };
  readonly questions: Texts;
  readonly counts?: { readonly off?: Deed["count"]; readonly gone?: Deed["count"] };
  readonly change: (isOn: boolean) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  /** Another way to delete it. */
  readonly alsoRemove?: Deed | undefined;
  /** Where one goes when it is deleted. */
  readonly list: string;
}

const SWITCH = { title: "Switch or delete it", on: "Switch it on", off: "Switch it off" };

export function SwitchSection({ counts = {}, isOn, labels = SWITCH, questions, ...of }: SwitchSectionProps) {
  const navigate = useNavigate();
  const to = isOn ? "off" : "on";
  const remove = { label: "Delete it", question: questions.gone, count: counts.gone, run: of.remove };
  return (
    <section aria-label={labels.title}>
      <h2>{labels.title}</h2>
      <WithScope scope="write" to={of.to}>
        <Action
          label={labels[to]}
          question={questions[to]}
          count={isOn ? counts.off : undefined}
          run={() => of.change(!isOn)}
        />
        {[remove, ...(of.alsoRemove ? [of.alsoRemove] : [])].map(({ run, ...deed }) => (
          <Action key={deed.label} {...deed} run={() => run().then(() => navigate(of.list))} />
        ))}
      </WithScope>
    </section>
  );
}
