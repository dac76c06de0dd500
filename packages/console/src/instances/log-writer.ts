/** So much of a task's id tells it from the others that run. */
const shortId = 8

/**
 * Who wrote to a stream, in a few letters: of a task its container and the beginning of its id
 * (`prefix/container/task`), of a function the version (`2026/03/05/[7]0f3c…`). Undefined where its name says neither.
 */
export function writerOf(logStream: string): string | undefined {
  const [, version] = /^\d{4}\/\d\d\/\d\d\/\[([^\]]+)\]/.exec(logStream) ?? []
  if (version !== undefined) return `version ${version}`
  const [, container, task] = /(?:^|\/)([^/]+)\/([0-9a-f]{32}|[0-9a-f-]{36})$/.exec(logStream) ?? []
  return task === undefined ? undefined : `${container} ${task.slice(0, shortId)}`
}
