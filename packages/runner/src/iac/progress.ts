import type { Attempt } from '../attempt.ts'
import type { Progress, ToolEvent } from './messages.ts'

/** Minimum interval between progress reports. */
const minIntervalMs = 1_000

export type ProgressReporter = {
  /** Starts the next phase. */
  enter(phase: Progress['phase'], known?: Pick<Progress, 'total' | 'changes'>): void
  onEvent(event: ToolEvent): void
  /** Reports progress that is not reported yet. */
  flush(): Promise<void>
}

/** Counts events of the tool: resources examined while planning, resources changed while applying. */
export function createProgressReporter(attempt: Pick<Attempt, 'reportProgress'>): ProgressReporter {
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
      .then(() => (isRejected ? undefined : attempt.reportProgress(detail)))
      .catch(() => {
        isRejected = true // safe to ignore: the step does not depend on its progress
      })
  }
  const changed = () => {
    due ??= setTimeout(show, Math.max(0, shownAt + minIntervalMs - Date.now()))
  }
  return {
    enter(phase, known = {}) {
      progress = { phase, done: 0, ...known }
      changed()
    },
    onEvent({ kind }) {
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
