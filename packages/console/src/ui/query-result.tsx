import { ApiError } from '@sluice/client'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorPanel, errorOf } from './error-panel.tsx'
import { Loading } from './loading.tsx'
import { RecordNotFound } from './not-found.tsx'

type Props<T> = { of: UseQueryResult<T, Error>; lines?: number; children: (answer: T) => ReactNode }

/** Shows a query's states: loading, error, and data. */
export function QueryResult<T>({ of: { data, error }, lines = 4, children }: Props<T>): ReactNode {
  if (data !== undefined) return children(data)
  if (error instanceof ApiError && error.status === 404) return <RecordNotFound message={error.error.message} />
  if (error) return <ErrorPanel error={errorOf(error)} />
  return <Loading lines={lines} />
}
