/** So much of a task's id tells it from the others that run. */
const shortId = 8

/** A stream of a task ends in its container and its id: `prefix/container/task`. */
const ofTask = /(?:^|\/)(?<container>[^/]+)\/(?<task>[0-9a-f]{32}|[0-9a-f-]{36})$/

/** Whether the version of who writes to a stream is that of a task: its name does not say it. */
export const isOfTask = (logStream: string): boolean => ofTask.test(logStream)

/**
 * Who wrote to a stream, in a few letters: of a task its container, the beginning of its id and, where it is known by
 * the task's id, its version; of a function the version (`2026/03/05/[7]0f3c…`). Undefined where its name says neither.
 */
export function writerOf(logStream: string, versions: ReadonlyMap<string, string>): string | undefined {
  const [, version] = /^\d{4}\/\d\d\/\d\d\/\[([^\]]+)\]/.exec(logStream) ?? []
  if (version !== undefined) return `version ${version}`
  const { container, task } = ofTask.exec(logStream)?.groups ?? {}
  if (task === undefined) return undefined
  return [container, task.slice(0, shortId), versions.get(task)].filter((part) => part !== undefined).join(' ')
}
