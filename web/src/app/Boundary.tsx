import { Component, type ReactNode } from 'react';
import { Button } from '../ui/Button';

// Boundary keeps a fault of one page from taking the app with it. The document is in the store and among the drafts.
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page stack">
        <h1>This page has failed</h1>
        <p>That is a fault of ours. Your model is still open, and its draft is kept in this browser.</p>
        <pre className="notice block">{error.message}</pre>
        <div><Button look="primary" onClick={() => this.setState({ error: null })}>Show the page again</Button></div>
      </div>
    );
  }
}
