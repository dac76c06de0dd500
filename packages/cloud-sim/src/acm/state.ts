import type { CertificateStatus } from '@aws-sdk/client-acm'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { defineState } from '../world.ts'

/** ACM certificate. Key: the ARN. */
export interface Certificate extends Row {
  scope: Scope
  /** All names; the first is the domain name. */
  names: string[]
  validationMethod: 'DNS' | 'EMAIL'
  keyAlgorithm: string
  /** Token and content of its request, to identify a repetition. */
  request?: { token: string; content: string; at: number }
  status: CertificateStatus
  failureReason?: 'CAA_ERROR'
  createdAt: number
  /** Cloud time from which the validation records are available. */
  recordsAt: number
  /** Cloud time at which validation times out. */
  timesOutAt: number
  issuedAt?: number
  /** Timestamps, because validity is measured in calendar days, however fast cloud time runs. */
  notBefore?: number
  notAfter?: number
  /** Last renewal, or a renewal that waits for missing records. */
  renewal?: { status: 'SUCCESS' | 'PENDING_VALIDATION'; at: number }
  tags: ListTag[]
}

/** Tables of the simulated ACM. */
export const acm = defineState((world) => ({
  certificates: world.table<Certificate>('certificate', { scope: (row) => row.scope }, { isEventual: true }),
}))
