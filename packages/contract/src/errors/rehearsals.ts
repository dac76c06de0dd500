import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const rehearsalErrors = {
  rehearsalNotFound: { code: 'Sluice:Rehearsals:NOT_FOUND', status: 404, title: 'The rehearsal does not exist.' },
  rehearsalNotSupported: {
    code: 'Sluice:Rehearsals:NOT_SUPPORTED',
    status: 422,
    title: 'The scenario does not apply to releases of this deployment type.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const rehearsalFailures = {
  rehearsalFailed: { code: 'Sluice:Rehearsals:FAILED', title: 'The rehearsal could not run.' },
} as const satisfies Record<string, ErrorEntry>
