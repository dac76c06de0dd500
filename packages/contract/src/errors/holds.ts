import type { RefusalEntry } from './entry.ts'

export const holdRefusals = {
  holdNotFound: { code: 'Sluice:Holds:NOT_FOUND', status: 404, title: 'There is no such hold.' },
  holdReleased: { code: 'Sluice:Holds:RELEASED', status: 422, title: 'The hold was let go already.' },
  tooManyHolds: { code: 'Sluice:Holds:TOO_MANY', status: 422, title: 'As many hold it as may hold one thing.' },
} as const satisfies Record<string, RefusalEntry>
