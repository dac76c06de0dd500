import { SearchType, searchTypes } from '@sluice/contract'
import { Type } from 'typebox'
import { counted } from '../answer.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, inputOf } from '../tool.ts'

export const search = defineReadTool({
  name: 'search',
  title: 'Search',
  description:
    'Finds services, deployments, pipelines, runs, resources, projects, environments and people by words in any order, or by an id.',
  input: inputOf({
    query: Type.String({ minLength: 1, maxLength: 200, description: 'Such as `web production`.' }),
    type: Type.Optional(Type.Array(SearchType, { maxItems: searchTypes.length, description: 'Only these.' })),
  }),
  needs: 'deployments:read',
  async answer(client, { query, type }) {
    const { data } = await client.search({ query: { q: query, limit: perType, ...(type && { type }) } })
    return {
      says: `${counted(data.length, 'result')}, at most ${perType} of each type: more words, or one type, find fewer.`,
      lines: data.map(({ type, id, title, detail, status }) =>
        `${type} ${id} ${toWord(title)} ${toWord(detail)} ${status ?? ''}`.trimEnd(),
      ),
      data: { results: data },
    }
  },
})

const perType = 6
