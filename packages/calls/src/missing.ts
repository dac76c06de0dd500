import { ApiError } from '@sluice/client'

export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404
