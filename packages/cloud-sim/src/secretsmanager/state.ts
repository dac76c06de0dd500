import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** Secret. Key: scope and name. */
export interface Secret extends Row {
  scope: Scope
  name: string
  arn: string
  value: string
  versionId: string
  createdAt: number
}

/** Tables of the simulated Secrets Manager. */
export const secrets = defineState((world) => ({
  secrets: world.table<Secret>('secret', { scope: (row) => row.scope }),
}))
