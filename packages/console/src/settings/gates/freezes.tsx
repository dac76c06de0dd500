import { Select, Stack, Text } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { useEnvironmentOrders } from '../../environments/use-environment-orders.ts'
import { type FreezeScope, isActive, overlapsScope } from '../../freezes/active-freezes.ts'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { useNow } from '../../ui/time.tsx'
import { allLevels, type Level } from '../projects/levels.ts'
import { NewFreeze } from './freeze-form.tsx'
import { FreezeRow } from './freeze-row.tsx'

const route = getRouteApi('/shell/console/settings/freezes')

/** Lists freezes. The URL contains the scope. */
export const Freezes = () => {
  const { place } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useCompleteList('listProjects', {})
  const environments = useCompleteList('listEnvironments', {})
  const freezes = useCompleteList('listFreezes', {})
  const { isAllowed, reason } = usePermission('freezes:write')
  const now = useNow(15_000)
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  const orders = useEnvironmentOrders(projects.data?.map(({ id }) => id) ?? [])
  const levels = allLevels(
    organization,
    projects.data ?? [],
    sortEnvironments(environments.data ?? [], projects.data ?? [], orders),
  )
  const level = levels.find(({ parentId }) => parentId === place)
  const projectOf = (id: string) => environments.data?.find((one) => one.id === id)?.projectId
  return (
    <Section title="Freezes" aside={<NewFreeze levels={levels} level={level} />}>
      <Stack>
        <Select
          label="Scope"
          description="Shows freezes of this scope, of the scopes that contain it, and of those inside it."
          maw={420}
          allowDeselect={false}
          data={levels.map(({ parentId, parentType, name }) => ({ value: parentId, label: `${name} (${parentType})` }))}
          value={level?.parentId ?? organization.id}
          onChange={(id) =>
            navigate({ search: id === null || id === organization.id ? {} : { place: id }, replace: true })
          }
        />
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage freezes here. {reason}</Text>}
        <QueryResult of={freezes}>
          {(all) => (
            <Rows
              of={all.filter((freeze) => overlapsScope(freeze, whereOf(level, projectOf))).toSorted(byBegin(now))}
              empty={
                <Notice title="No freezes here">
                  Schedule a freeze to block releases for a time, such as over the holidays or every weekend.
                </Notice>
              }
            >
              {(freeze) => <FreezeRow freeze={freeze} now={now} />}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}

/** Returns the scope filter of a level; none for the organization. */
function whereOf(level: Level | undefined, projectOf: (environmentId: string) => string | undefined): FreezeScope {
  if (level?.parentType === 'project') return { projectId: level.parentId }
  if (level?.parentType !== 'environment') return {}
  return { projectId: projectOf(level.parentId), environmentId: level.parentId }
}

/** Sorts active, then upcoming, then ended freezes. */
function byBegin(now: number): (a: Freeze, b: Freeze) => number {
  const rank = (freeze: Freeze) => {
    if (isActive(freeze, now)) return 0
    return freeze.period === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(freeze.period.from)
  }
  return (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)
}
