import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorPanel, errorOf } from '../error-panel.tsx'
import { Loading } from '../loading.tsx'
import { Rows } from './rows.tsx'
import { ShowMore } from './show-more.tsx'

type Listed<T> = { data: T[] }
type Props<T> = {
  of: UseInfiniteQueryResult<InfiniteData<Listed<T>>, Error>
  empty: ReactNode
  children: (item: T) => ReactNode
}

/** Lists the loaded pages with a button for the next one. */
export const Pages = <T extends { id: string }>({ of, empty, children }: Props<T>) => {
  const { data, error } = of
  if (data === undefined) return error ? <ErrorPanel error={errorOf(error)} /> : <Loading />
  return (
    <>
      <Rows of={data.pages.flatMap((page) => page.data)} empty={empty}>
        {children}
      </Rows>
      <ShowMore of={of} />
    </>
  )
}
