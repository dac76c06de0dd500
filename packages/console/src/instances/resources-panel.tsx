import { Group, ScrollArea, Stack, Table, Text, TextInput } from '@mantine/core'
import type { IacResource } from '@sluice/contract'
import { useState } from 'react'
import { usePages } from '../api/use-pages.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconSearch } from '../ui/icons.tsx'
import { Loading } from '../ui/loading.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { ShowMore } from '../ui/tables/show-more.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Lists the instance's resources by the latest run that changed each. */
export const ResourcesPanel = ({ stackId }: { stackId: string | undefined }) => {
  const [wanted, setWanted] = useState('')
  const resources = usePages(
    'listIacResources',
    { stackId: stackId ?? '', limit: 100 },
    { enabled: stackId !== undefined },
  )
  const { data, error } = resources
  if (stackId === undefined) {
    return (
      <Section title="Infrastructure">
        <Notice title="No infrastructure yet">
          To create it, save the inputs with “Update the infrastructure now”.
        </Notice>
      </Section>
    )
  }
  return (
    <Section
      title="Infrastructure"
      aside={
        <TextInput
          aria-label="Filter resources"
          placeholder="Filter"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      }
    >
      {data && <ResourceSummary records={data.pages.flatMap((page) => page.data)} wanted={wanted.trim()} />}
      {!data && (error ? <ErrorPanel error={errorOf(error)} /> : <Loading />)}
      <ShowMore of={resources} />
    </Section>
  )
}

const ResourceSummary = ({ records, wanted }: { records: readonly IacResource[]; wanted: string }) => {
  const standing = present(records)
  if (standing.length === 0) return <Notice title="No resources">A pipeline run creates them.</Notice>
  return <Rows resources={standing.filter(({ address }) => address.includes(wanted))} />
}

/** Keeps the newest record of each address; the input is sorted newest first. */
const present = (records: readonly IacResource[]): IacResource[] => {
  const newest = new Map(records.toReversed().map((one) => [one.address, one]))
  return [...newest.values()].filter((one) => one.isInCurrentState).sort((a, b) => a.address.localeCompare(b.address))
}

const Rows = ({ resources }: { resources: readonly IacResource[] }) => (
  <Stack gap="xs">
    <ScrollArea>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Resource</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Last changed by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {resources.map(({ id, address, resourceType, pipelineRunId, driftStatus }) => (
            <Table.Tr key={id}>
              <Table.Td>
                {address}
                {driftStatus === 'DRIFTED' && (
                  <Text size="xs" c="dimmed">
                    changed outside Sluice
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{resourceType}</Table.Td>
              <Table.Td>
                <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }}>
                  run
                </TextLink>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
    {resources.length === 0 && (
      <Group justify="center">
        <Text c="dimmed">No match.</Text>
      </Group>
    )}
  </Stack>
)
