// A page that fails to draw says so, and leaves the navigation as it is. React has this for classes alone.
import { Component, type ReactNode } from "react";
import { ProblemNote } from "../elements/answer.tsx";

interface BoundaryState {
  readonly error: Error | null;
}

export class Boundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <ProblemNote error={error} retry={() => this.setState({ error: null })} />;
  }
}
