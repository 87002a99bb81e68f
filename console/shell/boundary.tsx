// A page that fails to draw says so, and leaves the navigation as it is. React has this for classes alone.
import { Component, type ReactNode } from "react";
import { ProblemNote } from "../elements/answer.tsx";

/** What React does not ask for again. */
export class NotLoaded extends Error {
  constructor() {
    super(
      "Files of this section did not come: control does not answer, or has another version than this page.",
    );
  }
}

interface BoundaryProps {
  /** The section that is open: a fault of one covers no other. */
  readonly of: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: Error | null;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate({ of }: BoundaryProps): void {
    if (of !== this.props.of && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (error instanceof NotLoaded)
      return <ProblemNote error={error} retry={() => location.reload()} again="Reload the page" />;
    return <ProblemNote error={error} retry={() => this.setState({ error: null })} />;
  }
}
