import { present } from '../../platform/present.ts'
import type { ObservedList } from '../facts/networks.ts'
import { callCloud } from './cloud-call.ts'

type Page<T> = { items: T[] | undefined; next: string | undefined }

/** Reads at most `mostPages` pages of a list. `isComplete` is false if there were more. */
export async function readPages<T>(
  mostPages: number,
  page: (from: { NextToken?: string }) => Promise<Page<T>>,
): Promise<ObservedList<T>> {
  const all: T[] = []
  let next: string | undefined
  for (let count = 0; count < mostPages; count++) {
    const from = present({ NextToken: next })
    const answer = await callCloud(() => page(from))
    all.push(...(answer.items ?? []))
    next = answer.next
    if (!next) return { all, isComplete: true }
  }
  return { all, isComplete: false }
}
