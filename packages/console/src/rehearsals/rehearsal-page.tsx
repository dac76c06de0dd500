import { List, Stack, Text } from '@mantine/core'
import type { Rehearsal, RehearsalScenario } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../api/use-operation.ts'
import { Breadcrumb, useScopeNames } from '../ui/breadcrumb.tsx'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Loading } from '../ui/loading.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { ScenarioDetails } from './scenario-details.tsx'
import { ScenarioTable } from './scenario-table.tsx'

const route = getRouteApi('/shell/console/rehearsals/$id')

/** Rehearsals are not part of the change stream. Milliseconds. */
const refetchIntervalMs = 1_000

const isFinished = ({ status }: Rehearsal): boolean => status === 'SUCCESS' || status === 'ERROR'

/** Shows how a release would go, scenario by scenario. */
export const RehearsalPage = () => {
  const { id } = route.useParams()
  const rehearsal = useOperation(
    'getRehearsal',
    { params: { id } },
    { refetchInterval: ({ state }) => (state.data && isFinished(state.data.data) ? false : refetchIntervalMs) },
  )
  return <QueryResult of={rehearsal}>{({ data }) => <Shown rehearsal={data} />}</QueryResult>
}

const Shown = ({ rehearsal }: { rehearsal: Rehearsal }) => {
  const { id, moduleInstanceId, status, error, assumptions, scenarios, triggeredBy, rollbackToDeploymentId } = rehearsal
  const instance = useOperation('getModuleInstance', { params: { id: moduleInstanceId } }).data?.data
  const { project, environment } = useScopeNames(rehearsal)
  const { scenario: name } = route.useSearch()
  const navigate = route.useNavigate()
  const selected: RehearsalScenario | undefined = scenarios.find((one) => one.name === name) ?? scenarios[0]
  return (
    <Stack gap="lg">
      <PageTitle
        title="Rehearsal"
        of={instance?.name}
        above={<Breadcrumb project={project} environment={environment} service={instance} />}
        below={
          <>
            Started by {triggeredBy}. The {rollbackToDeploymentId ? 'rollback' : 'release'} ran in a simulated copy of
            the service; nothing was changed. <CopyableId id={id} />
          </>
        }
        aside={<StatusBadge status={status} size="lg" />}
      />
      {error && <ErrorPanel error={error} />}
      {!isFinished(rehearsal) && <Loading lines={4} />}
      {scenarios.length > 0 && (
        <Section title="Scenarios">
          <ScenarioTable
            scenarios={scenarios}
            selected={selected?.name}
            onSelect={(scenario) => navigate({ search: { scenario }, replace: true })}
          />
        </Section>
      )}
      {selected && <ScenarioDetails scenario={selected} />}
      {assumptions.length > 0 && (
        <Section title="Assumptions">
          <List size="sm">
            {assumptions.map((assumption) => (
              <List.Item key={assumption}>
                <Text size="sm">{assumption}</Text>
              </List.Item>
            ))}
          </List>
        </Section>
      )}
    </Stack>
  )
}
