import { Button, Group, Menu, ScrollArea, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { DeploymentColumn, DeploymentRecordRow } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { AllCheckbox, SelectionCheckbox } from '../bulk/selection-checkbox.tsx'
import { useSelection } from '../bulk/use-selection.ts'
import { CsvLink } from '../reports/csv-link.tsx'
import { formatDuration } from '../reports/format.ts'
import { IconArrowDown, IconArrowUp, IconColumns3 } from '../ui/icons.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { ClockTime, InReadersTime } from '../ui/time.tsx'
import { DeploymentFilterRow } from './deployment-filter-row.tsx'
import { columnLabels, type DeploymentSearch, deploymentQuery, shownColumns, sortBy } from './deployment-filters.ts'
import { withoutOperation } from './queue-message.ts'
import { ViewMenu } from './view-menu.tsx'

const RecordActions = lazy(() =>
  import('../bulk/record-actions.tsx').then((module) => ({ default: module.RecordActions })),
)

const route = getRouteApi('/shell/console/deployments')

/** Delay after the last key press before searching. */
const typingMs = 200
const rowsPerPage = 100
/** Maximum of the server. */
const maxRows = 5_000

/** Shows the deployments of all projects as a table. The address holds filters, order and columns. */
export const Deployments = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [settled] = useDebouncedValue(search, typingMs)
  const [limit, setLimit] = useState(rowsPerPage)
  const query = deploymentQuery(settled, new Date())
  const answer = useOperation('getDeploymentRecords', { query: { ...query, limit } })
  const show = (wanted: DeploymentSearch) => navigate({ search: wanted, replace: true })
  return (
    <Stack gap="md">
      <PageTitle
        title="Deployments"
        aside={
          <Group gap="xs">
            <ViewMenu search={search} onChange={show} />
            <ColumnMenu search={search} onChange={show} />
            <CsvLink of="deployments" operation="getDeploymentRecords" query={{ ...query, limit: maxRows }} />
          </Group>
        }
      />
      <DeploymentFilterRow search={search} onChange={show} />
      <QueryResult of={answer}>
        {({ data: { rows, total } }) =>
          total === 0 ? (
            <Notice title="No matching deployments">
              Deployments from the selected period appear here. Deploy a service from its page under Environments.
            </Notice>
          ) : (
            <>
              <DeploymentTable rows={rows} search={search} onChange={show} />
              <Group gap="md">
                <Text size="sm" c="dimmed" role="status">
                  {rows.length === total ? total : `${rows.length} of ${total}`}{' '}
                  {total === 1 ? 'deployment' : 'deployments'}
                </Text>
                {rows.length < Math.min(total, maxRows) && (
                  <Button
                    variant="default"
                    size="xs"
                    loading={answer.isFetching}
                    onClick={() => setLimit(Math.min(limit + 4 * rowsPerPage, maxRows))}
                  >
                    Show more
                  </Button>
                )}
              </Group>
            </>
          )
        }
      </QueryResult>
    </Stack>
  )
}

type SearchProps = { search: DeploymentSearch; onChange: (search: DeploymentSearch) => void }

const ColumnMenu = ({ search, onChange }: SearchProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button size="xs" variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
        Columns
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.CheckboxGroup
        value={shownColumns(search)}
        onChange={(columns) => onChange({ ...search, columns: columns as DeploymentColumn[] })}
      >
        {(Object.keys(columnLabels) as DeploymentColumn[]).map((column) => (
          // The service cannot be hidden, because it leads to the deployment.
          <Menu.CheckboxItem key={column} value={column} disabled={column === 'SERVICE'}>
            {columnLabels[column]}
          </Menu.CheckboxItem>
        ))}
      </Menu.CheckboxGroup>
    </Menu.Dropdown>
  </Menu>
)

type TableProps = SearchProps & { rows: readonly DeploymentRecordRow[] }

const DeploymentTable = ({ rows, search, onChange }: TableProps) => {
  const columns = shownColumns(search)
  const selection = useSelection(rows.map(({ deploymentId }) => deploymentId))
  const [deploys, holds] = [usePermission('deployments:write'), usePermission('holds:write')]
  const canSelect = deploys.isAllowed || holds.isAllowed
  const chosen = rows.filter(({ deploymentId }) => selection.selected.has(deploymentId))
  return (
    <>
      <ScrollArea>
        <Table aria-label="Deployments" miw={120 * columns.length} verticalSpacing={6} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {canSelect && (
                <Table.Th w={32}>
                  <AllCheckbox of={selection} count={rows.length} />
                </Table.Th>
              )}
              {columns.map((column) => (
                <Head key={column} column={column} search={search} onChange={onChange} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.deploymentId}>
                {canSelect && (
                  <Table.Td>
                    <SelectionCheckbox of={selection} id={row.deploymentId} label={labelOf(row)} />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td key={column} style={{ overflowWrap: 'anywhere' }}>
                    {cells[column](row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {chosen.length > 0 && (
        <Suspense>
          <RecordActions rows={chosen} onClear={selection.clear} />
        </Suspense>
      )}
    </>
  )
}

const labelOf = ({ moduleInstanceName, environmentName, version }: DeploymentRecordRow): string =>
  `Select ${[moduleInstanceName, environmentName, version].filter(Boolean).join(' · ')}`

const Head = ({ column, search, onChange }: SearchProps & { column: DeploymentColumn }) => {
  const { sort = 'CREATED_AT', ascending = false } = search
  const isSorted = sort === column
  const Icon = ascending ? IconArrowUp : IconArrowDown
  return (
    <Table.Th aria-sort={isSorted ? (ascending ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton fw={600} fz="sm" onClick={() => onChange(sortBy(search, column))}>
        <Group gap={4} wrap="nowrap">
          {columnLabels[column]}
          {isSorted && <Icon size={14} aria-hidden />}
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

const cells = {
  SERVICE: ({ deploymentId, moduleInstanceName, description }) => (
    <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} fw={600} title={description}>
      {moduleInstanceName}
    </TextLink>
  ),
  ENVIRONMENT: ({ environmentName }) => environmentName,
  PROJECT: ({ projectName }) => projectName,
  VERSION: ({ version }) => version,
  STATUS: ({ status, isPaused, message }) => (
    <>
      <StatusBadge status={isPaused ? 'PAUSED' : status} size="sm" />
      {message && (
        <Text size="xs" c="dimmed">
          <InReadersTime sentence={withoutOperation(message)} />
        </Text>
      )}
    </>
  ),
  TRIGGERED_BY: ({ triggeredBy }) => triggeredBy,
  CREATED_AT: ({ createdAt }) => <ClockTime at={createdAt} />,
  DURATION: ({ seconds }) => formatDuration(seconds),
} as const satisfies Record<DeploymentColumn, (row: DeploymentRecordRow) => ReactNode>
