import { Divider, Stack } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import { followMs, useOperation } from '../api/use-operation.ts'
import { Approvals } from '../approvals/approvals.tsx'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { pendingPause } from '../deployments/shown.ts'
import { Answer } from '../ui/answer.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'

type Listed = { data: Deployment[] }

/** What waits for a person comes first, then what moves by itself, then what went wrong. */
export const Overview = () => {
  const underWay = useOperation(
    'listDeployments',
    { query: { status: ['PENDING', 'IN_PROGRESS', 'ROLLING_BACK'], limit: 100 } },
    { refetchInterval: followMs },
  )
  const failed = useOperation(
    'listDeployments',
    { query: { status: ['ERROR', 'ROLLED_BACK'], limit: 5 } },
    { refetchInterval: 5 * followMs },
  )
  return (
    <Stack gap="lg" maw={960}>
      <PageTitle title="Overview" />
      <Approvals />
      <Deployments
        title="Paused releases"
        of={underWay}
        choose={(one) => pendingPause(one) !== undefined}
        empty="Nothing waits for a decision."
      />
      <Deployments
        title="Under way"
        of={underWay}
        choose={(one) => pendingPause(one) === undefined}
        empty="Nothing is being released right now."
      />
      <Deployments title="Failed lately" of={failed} choose={() => true} empty="Nothing failed." />
    </Stack>
  )
}

type Props = {
  title: string
  of: UseQueryResult<Listed, Error>
  choose: (deployment: Deployment) => boolean
  empty: string
}

const Deployments = ({ title, of, choose, empty }: Props) => (
  <Section title={title}>
    <Answer of={of} lines={2}>
      {({ data }) => {
        const chosen = data.filter(choose)
        if (chosen.length === 0) return <Notice title={empty} />
        return chosen.map((deployment, index) => (
          <div key={deployment.id}>
            {index > 0 && <Divider />}
            <DeploymentRow deployment={deployment} />
          </div>
        ))
      }}
    </Answer>
  </Section>
)
