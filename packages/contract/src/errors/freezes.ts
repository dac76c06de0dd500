import type { RefusalEntry } from './entry.ts'

export const freezeRefusals = {
  freezeNotFound: { code: 'Sluice:Freezes:NOT_FOUND', status: 404, title: 'There is no such freeze.' },
  frozen: { code: 'Sluice:Freezes:FROZEN', status: 422, title: 'A freeze stops it.' },
} as const satisfies Record<string, RefusalEntry>
