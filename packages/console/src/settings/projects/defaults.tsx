import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { useEnvironmentOrders } from '../../environments/use-environment-orders.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { DefaultRow } from './default-row.tsx'
import { allLevels, effectiveValuesAt, levelsAbove } from './levels.ts'
import { NewDefinition } from './new-definition.tsx'

/** Manages default values of module instances by level. */
export const Defaults = () => {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useCompleteList('listProjects', {})
  const environments = useCompleteList('listEnvironments', {})
  const definitions = useCompleteList('listDefaultValueDefinitions', {})
  const values = useCompleteList('listDefaultValues', {})
  const [chosen, setChosen] = useState<string>()
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  const orders = useEnvironmentOrders(projects.data?.map(({ id }) => id) ?? [])
  const ordered = sortEnvironments(environments.data ?? [], projects.data ?? [], orders)
  const levels = allLevels(organization, projects.data ?? [], ordered)
  const level = levels.find(({ parentId }) => parentId === chosen) ?? levels[0]
  if (!level) return null
  const higher = levelsAbove(level, levels, environments.data ?? [])
  return (
    <Section title="Default values" aside={<NewDefinition />}>
      <Stack>
        <Select
          label="Level"
          description="The value closest to a module instance applies: environment, then project, then organization."
          maw={420}
          allowDeselect={false}
          data={levels.map(({ parentId, parentType, name }) => ({ value: parentId, label: `${name} (${parentType})` }))}
          value={level.parentId}
          onChange={(id) => setChosen(id ?? undefined)}
        />
        <QueryResult of={definitions}>
          {(all) =>
            all.length === 0 ? (
              <Notice title="No keys yet">A key has a name that templates use and a schema for its values.</Notice>
            ) : (
              <DataTable label="Default values" head={['Key', `Value for ${level.name}`, '']} minWidth={620}>
                {effectiveValuesAt(level, higher, all, values.data ?? []).map((one) => (
                  <DefaultRow key={`${one.definition.id} ${level.parentId}`} effective={one} level={level} />
                ))}
              </DataTable>
            )
          }
        </QueryResult>
        <Text size="xs" c="dimmed">
          In templates, refer to a value as defaults.KEY.
        </Text>
      </Stack>
    </Section>
  )
}
