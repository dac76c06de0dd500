import { Divider } from '@mantine/core'
import type { ReactNode } from 'react'

type Props<T> = { of: readonly T[]; empty: ReactNode; children: (item: T) => ReactNode }

/** Lists items with dividers. */
export const Rows = <T extends { id: string }>({ of, empty, children }: Props<T>) =>
  of.length === 0
    ? empty
    : of.map((item, index) => (
        <div key={item.id}>
          {index > 0 && <Divider />}
          {children(item)}
        </div>
      ))
