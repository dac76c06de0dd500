import type { ApiErrorEntry } from './entry.ts'

export const holdErrors = {
  holdNotFound: { code: 'Sluice:Holds:NOT_FOUND', status: 404, title: 'The hold does not exist.' },
  holdReleased: { code: 'Sluice:Holds:ALREADY_LIFTED', status: 422, title: 'The hold was already lifted.' },
  tooManyHolds: { code: 'Sluice:Holds:TOO_MANY', status: 422, title: 'The limit of holds on one resource is reached.' },
} as const satisfies Record<string, ApiErrorEntry>
