import type { ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { usePages } from '../api/use-pages.ts'
import { useCommandButton } from '../commands/page-commands.ts'
import { DeploymentRow } from '../deployments/deployment-row.tsx'
import { RollBackToRelease } from '../deployments/roll-back-to-release.tsx'
import { useRollback } from '../deployments/use-rollback.ts'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'

/** Lists all releases of an instance, marks the current one and offers rollbacks. */
export const History = ({ instance }: { instance: ModuleInstance }) => {
  const query = { moduleInstanceId: instance.id }
  const deployments = usePages('listDeployments', { ...query, limit: 20, include: ['source'] })
  const sources = new Map(deployments.data?.pages.flatMap(({ included }) => Object.entries(included?.source ?? {})))
  const live = useOperation('listDeployments', { query: { ...query, status: ['SUCCESS'], limit: 1 } }).data?.data[0]
  const comparing = useCommandButton('compare')
  const isComparable = (deployments.data?.pages[0]?.meta.totalCount ?? 0) > 1
  const { targets = [] } = useRollback(live?.id) ?? {}
  return (
    <Section
      title="Deployments"
      aside={
        isComparable && (
          <ButtonLink
            ref={comparing}
            to="/console/instances/$id/compare"
            params={{ id: instance.id }}
            size="xs"
            variant="default"
          >
            Compare releases
          </ButtonLink>
        )
      }
    >
      <Pages of={deployments} empty={<Notice title="No deployments yet" />}>
        {(deployment) => (
          <DeploymentRow
            deployment={deployment}
            source={sources.get(deployment.id)}
            isLive={deployment.id === live?.id}
          >
            {live && targets.includes(deployment.id) && (
              <RollBackToRelease
                live={live}
                to={deployment}
                command={deployment.id === targets[0] ? 'rollBack' : undefined}
              />
            )}
          </DeploymentRow>
        )}
      </Pages>
    </Section>
  )
}
