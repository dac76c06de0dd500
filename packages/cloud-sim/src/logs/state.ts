import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'
import type { TaskVoice } from './task-lines.ts'

/** Key: the ARN of the log group, without `:*`. */
export interface LogGroup extends Row {
  scope: Scope
  name: string
  createdAt: number
  retentionInDays?: number | undefined
  tags: Record<string, string>
}

/** Key: the ARN of the group and the name of the stream. Moments are timestamps. */
export interface LogStream extends Row {
  group: string
  name: string
  createdAt: number
  /** How many events were put. */
  count: number
  /** Of the oldest line; without one, when the stream was made. */
  firstEventAt: number
  lastEventAt?: number | undefined
  /** The container whose lines the stream holds, where it is one's. */
  voice?: TaskVoice | undefined
}

/** Key: the stream and a number. What one request put. */
export interface LogBatch extends Row {
  stream: string
  ingestedAt: number
  events: { at: number; message: string; id: string }[]
}

/** What the logs service keeps. */
export const cloudWatchLogs = state((world) => ({
  groups: world.table<LogGroup>('log-group', { scope: (row) => row.scope }),
  streams: world.table<LogStream>('log-stream', { group: (row) => row.group }),
  batches: world.table<LogBatch>('log-batch', { stream: (row) => row.stream }),
}))
