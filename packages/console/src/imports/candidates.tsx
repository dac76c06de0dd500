import { Button, Stack, Table, Text } from '@mantine/core'
import type { ImportableResource, ImportableType } from '@sluice/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { SearchInput } from '../ui/forms/search-input.tsx'
import { Loading } from '../ui/loading.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { ShowMore } from '../ui/tables/show-more.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { importable } from './importable.ts'

type Props = {
  type: ImportableType
  cloudAccountId: string
  region: string
  chosen: ImportableResource | undefined
  onChoose: (resource: ImportableResource) => void
}

/** Lists services or functions in a region, page by page. */
export const Candidates = ({ type, cloudAccountId: id, region, chosen, onChoose }: Props) => {
  const [text, setText] = useState('')
  const query = { type, region, limit: 50 }
  const pages = useInfiniteQuery({
    queryKey: [...queryKeyOf('listImportable', { params: { id }, query }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      client.listImportable(
        { params: { id }, query: { ...query, ...(pageParam !== '' && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.nextCursor || undefined,
  })
  const all = pages.data?.pages.flatMap(({ data }) => data) ?? []
  const trouble = pages.data?.pages.at(-1)?.meta.error
  const hasGroups = all.some(({ group }) => group !== undefined)
  const wanted = text.trim().toLowerCase()
  const shown = all.filter(({ name, group = '' }) => `${group}/${name}`.toLowerCase().includes(wanted))
  return (
    <Section
      title="Running services"
      aside={<SearchInput label="Search running services" placeholder="By name" value={text} onChange={setText} />}
    >
      {pages.error && <ErrorPanel error={errorOf(pages.error)} />}
      {trouble && <ErrorPanel error={trouble} />}
      {pages.isPending && <Loading />}
      {pages.data && !trouble && shown.length === 0 && (
        <Notice title={wanted === '' ? importable[type].none : 'No matches'}>
          {pages.hasNextPage ? 'More results may follow below.' : 'Select another region or account.'}
        </Notice>
      )}
      {shown.length > 0 && (
        <DataTable
          label="Running services"
          head={[importable[type].column, ...(hasGroups ? ['Cluster'] : []), 'Running', '']}
        >
          {shown.map((one) => (
            <Table.Tr key={one.resourceArn} {...(one === chosen && { bg: 'var(--mantine-color-default-hover)' })}>
              <Table.Td fw={600}>{one.name}</Table.Td>
              {hasGroups && <Table.Td>{one.group}</Table.Td>}
              <Table.Td>{one.runs}</Table.Td>
              <Table.Td ta="right">
                <Choice resource={one} isChosen={one === chosen} onChoose={onChoose} />
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
      <ShowMore of={pages} />
      {pages.hasNextPage && wanted !== '' && (
        <Stack align="center" mt="xs">
          <Text size="sm" c="dimmed">
            Only the results listed so far are searched.
          </Text>
        </Stack>
      )}
    </Section>
  )
}

type ChoiceProps = {
  resource: ImportableResource
  isChosen: boolean
  onChoose: Props['onChoose']
}

const Choice = ({ resource, isChosen, onChoose }: ChoiceProps) =>
  resource.moduleInstanceId === undefined ? (
    <Button
      size="compact-sm"
      variant={isChosen ? 'filled' : 'default'}
      aria-label={`${isChosen ? 'Selected' : 'Select'} ${resource.name}`}
      aria-pressed={isChosen}
      onClick={() => onChoose(resource)}
    >
      {isChosen ? 'Selected' : 'Select'}
    </Button>
  ) : (
    <TextLink to="/console/instances/$id" params={{ id: resource.moduleInstanceId }} size="sm">
      Managed by Sluice
    </TextLink>
  )
