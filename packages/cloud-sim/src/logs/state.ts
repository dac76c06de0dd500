import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'
import type { SimulatedLogSource } from './task-lines.ts'

/** Key: the ARN of the log group, without `:*`. */
export interface LogGroup extends Row {
  scope: Scope
  name: string
  createdAt: number
  retentionInDays?: number | undefined
  tags: Record<string, string>
}

/** Key: the ARN of the group and the name of the stream. Times are timestamps. */
export interface LogStream extends Row {
  group: string
  name: string
  createdAt: number
  /** Number of events that were put. */
  count: number
  /** Time of the oldest line, or of the stream's creation. */
  firstEventAt: number
  lastEventAt?: number | undefined
  /** Container whose simulated lines the stream contains, if any. */
  voice?: SimulatedLogSource | undefined
}

/** Log events of one `PutLogEvents` request. Key: the stream and a sequence number. */
export interface LogBatch extends Row {
  stream: string
  ingestedAt: number
  events: { at: number; message: string; id: string }[]
}

/** Tables of the simulated CloudWatch Logs. */
export const cloudWatchLogs = defineState((world) => ({
  groups: world.table<LogGroup>('log-group', { scope: (row) => row.scope }),
  streams: world.table<LogStream>('log-stream', { group: (row) => row.group }),
  batches: world.table<LogBatch>('log-batch', { stream: (row) => row.stream }),
}))
