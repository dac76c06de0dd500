import { Alert, Stack, Text, TextInput } from '@mantine/core'
import type { IacChangeReasons, IacChangeType, IacPlan } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { readAllPages } from '../api/use-pages.ts'
import { PolicyVerdicts } from '../policies/policy-panel.tsx'
import { IconAlertTriangle, IconSearch } from '../ui/icons.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { toggled } from '../ui/toggled.ts'
import { changeTypeStyle, groupResources, type PlannedResource, typesInOrder } from './change-types.ts'
import { PlanCost } from './plan-cost.tsx'
import { PlanCounts } from './plan-counts.tsx'
import { PlanReview } from './plan-review.tsx'
import { ResourceList } from './resource-list.tsx'

/** The server's maximum page size, because large plans take many pages. */
const pageSize = 500

type ViewerProps = {
  plan: IacPlan
  /** Step on the page. If it applied the plan, the results are shown. */
  stepExecutionId: string
}

/** Shows the changes of a plan for approvers, and their results. */
export default function PlanViewer({ plan, stepExecutionId }: ViewerProps) {
  const [types, setTypes] = useState<ReadonlySet<IacChangeType>>(new Set())
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text)
  // Unchanged resources are usually many, so they are shown only on request.
  const shown = typesInOrder.filter((type) => type !== 'NO_OP' || types.has('NO_OP'))
  // Plans never change, so resources are fetched once for each status.
  const resources = useQuery({
    queryKey: ['resources of a plan', plan.id, plan.status, stepExecutionId, shown],
    queryFn: async ({ signal }) => {
      const all = await readResources(plan, shown, signal)
      const of = (id: string) => all.filter((one) => one.stepExecutionId === id)
      const applied = of(stepExecutionId)
      return applied.length > 0 ? applied : of(plan.stepExecutionId)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  const toggle = (type: IacChangeType) => setTypes(toggled(types, type))
  return (
    <Stack gap="sm">
      {plan.status === 'PLANNED' && <Lost counts={plan.changeCounts} />}
      <PlanCounts counts={plan.changeCounts} chosen={types} onToggle={toggle} />
      <PlanReview review={plan.review} />
      <PlanCost cost={plan.cost} />
      <PolicyVerdicts verdicts={plan.policies ?? []} />
      <TextInput
        aria-label="Search resources"
        placeholder="Search by address"
        maw={320}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <QueryResult of={resources} lines={3}>
        {(own) => <Found resources={own} types={types} text={wanted} />}
      </QueryResult>
    </Stack>
  )
}

/** Fetches a plan's resources with the given change types and their reasons. */
async function readResources(
  { pipelineRunId }: IacPlan,
  changeType: IacChangeType[],
  signal: AbortSignal,
): Promise<PlannedResource[]> {
  const query = { pipelineRunId, changeType, limit: pageSize, include: ['change-reasons' as const] }
  const pages = await readAllPages('listIacResources', query, signal)
  return pages.flatMap(({ data, included }) => {
    const why: Record<string, IacChangeReasons> = included?.['change-reasons'] ?? {}
    return data.map((resource) => ({ ...resource, why: why[resource.id] }))
  })
}

/** Warns about destructive changes first. */
const Lost = ({ counts }: { counts: IacPlan['changeCounts'] }) => {
  const lost = typesInOrder.filter((type) => changeTypeStyle(type).isDestructive && (counts[type] ?? 0) > 0)
  if (lost.length === 0) return null
  const words = lost.map((type) => `${changeTypeStyle(type).label.toLowerCase()} ${counts[type]}`)
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`This plan would ${new Intl.ListFormat('en').format(words)} of what is there now`}
    >
      Replaced resources are destroyed and created again. Review each one before you approve.
    </Alert>
  )
}

type Props = { resources: readonly PlannedResource[]; types: ReadonlySet<IacChangeType>; text: string }

const Found = ({ resources, types, text }: Props) => {
  const groups = useMemo(() => groupResources(resources, { types, text }), [resources, types, text])
  if (resources.length === 0) return <Text c="dimmed">No changes.</Text>
  if (groups.length === 0) return <Text c="dimmed">No resources match. Search for part of an address.</Text>
  return <ResourceList groups={groups} />
}
