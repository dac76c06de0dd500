import type { RefusalEntry } from './entry.ts'

export const watchedRepositoryRefusals = {
  watchedRepositoryNotFound: {
    code: 'Sluice:WatchedRepositories:NOT_FOUND',
    status: 404,
    title: 'There is no such watched repository.',
  },
  watchedRepositoryTaken: {
    code: 'Sluice:WatchedRepositories:TAKEN',
    status: 409,
    title: 'The project has a watched repository already.',
  },
  watchedRepositoryInvalid: {
    code: 'Sluice:WatchedRepositories:INVALID',
    status: 422,
    title: 'The repository cannot be watched so.',
  },
  watchedPlanChanged: {
    code: 'Sluice:WatchedRepositories:PLAN_CHANGED',
    status: 409,
    title: 'What would change is other than what was agreed to.',
  },
} as const satisfies Record<string, RefusalEntry>
