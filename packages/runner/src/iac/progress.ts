import type { Attempt } from '../attempt.ts'
import type { Progress, ToolEvent } from './messages.ts'

/** Shows how far a step is, at most this often. Milliseconds. */
const showMs = 1_000

export type ProgressShown = {
  /** Goes on to the next phase. */
  enter(phase: Progress['phase'], known?: Pick<Progress, 'total' | 'changes'>): void
  hear(event: ToolEvent): void
  /** Shows what is not shown yet. */
  flush(): Promise<void>
}

/** Counts what the tool tells. Counts of planning are of resources looked at, those of applying of resources done. */
export function createProgress(attempt: Pick<Attempt, 'showProgress'>): ProgressShown {
  let progress: Progress = { phase: 'init', done: 0 }
  let shownAt = 0
  let due: NodeJS.Timeout | undefined
  let showing: Promise<void> = Promise.resolve()
  let isRejected = false

  const show = () => {
    clearTimeout(due)
    due = undefined
    shownAt = Date.now()
    const detail = { ...progress }
    showing = showing
      .then(() => (isRejected ? undefined : attempt.showProgress(detail)))
      .catch(() => {
        isRejected = true // the step itself does not depend on what is shown of it
      })
  }
  const changed = () => {
    due ??= setTimeout(show, Math.max(0, shownAt + showMs - Date.now()))
  }
  return {
    enter(phase, known = {}) {
      progress = { phase, done: 0, ...known }
      changed()
    },
    hear({ kind }) {
      const counts = progress.phase === 'apply' ? kind === 'done' : kind === 'planned' || kind === 'refreshed'
      if (!counts) return
      progress = { ...progress, done: progress.done + 1 }
      changed()
    },
    async flush() {
      if (due) show()
      await showing
    },
  }
}
