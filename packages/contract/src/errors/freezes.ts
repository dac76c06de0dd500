import type { RefusalEntry } from './entry.ts'

export const freezeRefusals = {
  freezeNotFound: { code: 'Sluice:Freezes:NOT_FOUND', status: 404, title: 'There is no such freeze.' },
  tooManyFreezes: {
    code: 'Sluice:Freezes:TOO_MANY',
    status: 422,
    title: 'The organization has as many freezes as it may have.',
  },
  frozen: { code: 'Sluice:Freezes:FROZEN', status: 422, title: 'A freeze stops it.' },
} as const satisfies Record<string, RefusalEntry>
