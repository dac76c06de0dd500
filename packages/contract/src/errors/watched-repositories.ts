import type { ApiErrorEntry } from './entry.ts'

export const watchedRepositoryErrors = {
  watchedRepositoryNotFound: {
    code: 'Sluice:WatchedRepositories:NOT_FOUND',
    status: 404,
    title: 'The watched repository does not exist.',
  },
  watchedRepositoryTaken: {
    code: 'Sluice:WatchedRepositories:TAKEN',
    status: 409,
    title: 'The project already has a watched repository.',
  },
  watchedRepositoryInvalid: {
    code: 'Sluice:WatchedRepositories:INVALID',
    status: 422,
    title: 'The repository cannot be watched with these settings.',
  },
  watchedPlanChanged: {
    code: 'Sluice:WatchedRepositories:PLAN_CHANGED',
    status: 409,
    title: 'The plan has changed since it was approved.',
  },
} as const satisfies Record<string, ApiErrorEntry>
