import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { PageTitle } from '../ui/page-title.tsx'
import { ByScope } from './by-scope.tsx'
import { Deliveries } from './deliveries.tsx'
import type { Filters } from './filters.ts'
import { timeRangeOf } from './period.ts'
import { ReportFilters } from './report-filters.tsx'
import { Runs, Steps } from './runs.tsx'
import { Approvals, Pauses } from './waiting.tsx'

const route = getRouteApi('/shell/console/reports')

/** Shows reports on delivery, waiting times and failures. The address holds the filters. */
export const Reports = () => {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const show = (search: Filters) => navigate({ search, replace: true, resetScroll: false })
  const of = { filters, time: timeRangeOf(filters, new Date()) }
  return (
    <Stack gap="lg" maw={1100}>
      <PageTitle title="Reports" below="Days are in UTC. Reports count only what you can access." />
      <ReportFilters filters={filters} onChange={show} />
      <Deliveries {...of} />
      <ByScope {...of} onChange={show} />
      <Pauses {...of} />
      <Approvals {...of} />
      <Runs {...of} />
      <Steps {...of} />
    </Stack>
  )
}
