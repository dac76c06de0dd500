import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { refetchAffected } from './refetch-affected.ts'

/** Renders two queries whose answers the test controls. */
function page() {
  const client = new QueryClient()
  const asked: { key: string; answer: (value: string) => void }[] = []
  const show = (key: string) =>
    new QueryObserver<string>(client, {
      queryKey: [key],
      queryFn: () => new Promise((answer) => asked.push({ key, answer })),
    }).subscribe(() => {})
  for (const key of ['a', 'b']) show(key)
  const answer = async (index: number, value: string) => {
    asked[index]?.answer(value)
    await untilPasses(() => expect(client.getQueryData([asked[index]?.key])).toBe(value))
  }
  const keys = () => asked.map(({ key }) => key)
  return { client, answer, keys, shown: (key: string) => client.getQueryData([key]) }
}

test('an affected query is refetched, and no other', async () => {
  const { client, answer, keys } = page()
  await answer(0, 'old')
  await answer(1, 'b')
  refetchAffected(client, ([key]) => key === 'a')
  expect(keys()).toEqual(['a', 'b', 'a'])
})

test('an affected query that is still loading is refetched when it settles', async () => {
  const { client, answer, keys, shown } = page()
  refetchAffected(client, ([key]) => key === 'a')
  expect(keys()).toEqual(['a', 'b'])
  await answer(0, 'read before the change')
  await answer(1, 'b')
  await untilPasses(() => expect(keys()).toEqual(['a', 'b', 'a']))
  await answer(2, 'read after it')
  expect(shown('a')).toBe('read after it')
})
