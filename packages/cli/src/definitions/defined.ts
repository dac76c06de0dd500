import type { ServiceParts } from '@sluice/server/delivery/module-imports/service-input'

/** Something of a file that is not in the instance, or should be looked at: its path from `$`, and why. */
export type Remark = { path: string; why: string }

/** A container service as a file defines it. */
export type Defined = ServiceParts & {
  /** What the file calls it. */
  name: string
  /** Where the service is, as far as the file says it. */
  place: { serviceArn?: string; clusterArn?: string; region?: string }
}

/** What came of reading a part of a file: something of it is always said, whatever stands there. */
export type Read<T> = { found: T; remarks: Remark[] } | { faults: string[] }

/** Members of an object that came out of a file. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
