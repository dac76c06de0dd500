import type { CertificateStatus } from '@aws-sdk/client-acm'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { state } from '../world.ts'

/** Key: the ARN. */
export interface Certificate extends Row {
  scope: Scope
  /** All names it is for; the first one is its domain name. */
  names: string[]
  validationMethod: 'DNS' | 'EMAIL'
  keyAlgorithm: string
  /** What makes two requests the same one. */
  request?: { token: string; content: string; at: number }
  status: CertificateStatus
  failureReason?: 'CAA_ERROR'
  createdAt: number
  /** Cloud time from which on the records that prove its names are told. */
  recordsAt: number
  /** Cloud time when it is too late to prove them. */
  timesOutAt: number
  issuedAt?: number
  /** Timestamps: a certificate is good for days of the calendar, however fast cloud time runs. */
  notBefore?: number
  notAfter?: number
  /** When it was renewed last, or that it should have been and its records are gone. */
  renewal?: { status: 'SUCCESS' | 'PENDING_VALIDATION'; at: number }
  tags: ListTag[]
}

/** What the certificate manager keeps. */
export const acm = state((world) => ({
  certificates: world.table<Certificate>('certificate', { scope: (row) => row.scope }, { isEventual: true }),
}))
