/** Characters of a task ID that identify it. */
const shortId = 8

/** A stream name of a task ends in container and ID: `prefix/container/task`. */
const ofTask = /(?:^|\/)(?<container>[^/]+)\/(?<task>[0-9a-f]{32}|[0-9a-f-]{36})$/

/** Reports whether a log stream belongs to a task. Names of such streams do not contain the version. */
export const isTaskStream = (logStream: string): boolean => ofTask.test(logStream)

/**
 * Returns a short name of a stream's writer: container, task ID and version of a task; version of a function.
 * Undefined if the stream name has neither.
 */
export function streamWriter(logStream: string, versions: ReadonlyMap<string, string>): string | undefined {
  const [, version] = /^\d{4}\/\d\d\/\d\d\/\[([^\]]+)\]/.exec(logStream) ?? []
  if (version !== undefined) return `version ${version}`
  const { container, task } = ofTask.exec(logStream)?.groups ?? {}
  if (task === undefined) return undefined
  return [container, task.slice(0, shortId), versions.get(task)].filter((part) => part !== undefined).join(' ')
}
