import type { Progress, ToolEvent } from '../iac/messages.ts'
import type { Attempt } from '../runner/work.ts'

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
  let isShown = true
  let showing: Promise<void> = Promise.resolve()

  const show = () => {
    shownAt = Date.now()
    isShown = true
    const detail = { ...progress }
    showing = showing.then(() => attempt.showProgress(detail))
    // Whoever flushes hears of the error.
    showing.catch(() => {})
  }
  const changed = () => {
    isShown = false
    if (Date.now() - shownAt >= showMs) show()
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
      if (!isShown) show()
      await showing
    },
  }
}
