import type { ApiErrorEntry } from './entry.ts'

export const freezeErrors = {
  freezeNotFound: { code: 'Sluice:Freezes:NOT_FOUND', status: 404, title: 'The freeze does not exist.' },
  tooManyFreezes: {
    code: 'Sluice:Freezes:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of freezes.',
  },
  frozen: { code: 'Sluice:Freezes:FROZEN', status: 422, title: 'A freeze blocks the operation.' },
} as const satisfies Record<string, ApiErrorEntry>
