import type { ServiceParts } from '@sluice/server/delivery/module-imports/service-input'

/** Remark about an omitted or questionable part of a file: its path from `$`, and the reason. */
export type Remark = { path: string; why: string }

/** ECS service defined by a file. */
export type DefinedService = ServiceParts & {
  /** Its name in the file. */
  name: string
  /** Location of the service, as far as the file contains it. */
  place: { serviceArn?: string; clusterArn?: string; region?: string }
}

/** Result of reading a part of a file: the value with remarks, or errors. */
export type ParseResult<T> = { found: T; remarks: Remark[] } | { faults: string[] }

/** JSON object from a file. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
