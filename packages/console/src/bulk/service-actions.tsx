import { Select } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { PermissionScopeContext } from '../api/scope.ts'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import { countOf, maxEntries } from './bulk-entry.ts'
import { HoldDialog } from './hold-dialog.tsx'
import { planCancellation, planHold, planPromotion, type ServiceSelection } from './plan-service-actions.ts'
import { SelectionBar } from './selection-bar.tsx'

const DeployVersion = lazy(() => import('./deploy-version.tsx').then((module) => ({ default: module.DeployVersion })))

type Props = Omit<ServiceSelection, 'environment'> & { projectId: string; onClear: () => void }

const actions = ['deploy', 'promote', 'hold', 'cancel'] as const
type Action = (typeof actions)[number]

const labels = {
  deploy: 'Deploy version…',
  promote: 'Promote…',
  hold: 'Hold…',
  cancel: 'Cancel deployments…',
} as const satisfies Record<Action, string>

/** Bar with the actions for the selected services in one environment. */
export const ServiceActions = ({ projectId, onClear, ...rest }: Props) => {
  const { services, environments } = rest
  const [environmentId, setEnvironmentId] = useState(environments[0]?.id)
  const [action, setAction] = useState<Action>()
  const environment = environments.find(({ id }) => id === environmentId) ?? environments[0]
  if (!environment) return null
  const selection = { ...rest, environment }
  const close = () => setAction(undefined)
  const isTooMany = services.length > maxEntries
  return (
    <PermissionScopeContext value={{ projectId, environmentId: environment.id }}>
      <SelectionBar label="Actions for selected services" count={services.length} onClear={onClear}>
        <Select
          size="xs"
          aria-label="Target environment"
          data={environments.map(({ id, name }) => ({ value: id, label: `in ${name}` }))}
          value={environment.id}
          allowDeselect={false}
          onChange={(id) => setEnvironmentId(id ?? undefined)}
          w={170}
        />
        {actions.map((one) => (
          <PermissionButton
            key={one}
            permission={one === 'hold' ? 'holds:write' : 'deployments:write'}
            size="xs"
            variant="default"
            disabledReason={isTooMany ? `Select at most ${maxEntries} services.` : undefined}
            onClick={() => setAction(one)}
          >
            {labels[one]}
          </PermissionButton>
        ))}
      </SelectionBar>
      {action === 'deploy' && (
        <Suspense>
          <DeployVersion selection={selection} onClose={close} />
        </Suspense>
      )}
      {action === 'promote' && (
        <BulkDialog
          title={`Promote what runs in ${environment.name}`}
          entries={planPromotion(selection)}
          confirmLabel={(count) => `Promote ${countOf(count)}`}
          onClose={close}
        />
      )}
      {action === 'hold' && (
        <HoldDialog
          title={`Hold services in ${environment.name}`}
          planOf={(reason) => planHold(selection, reason)}
          onClose={close}
        />
      )}
      {action === 'cancel' && (
        <BulkDialog
          title={`Cancel deployments in ${environment.name}`}
          entries={planCancellation(selection)}
          confirmLabel={(count) => `Cancel ${count} ${count === 1 ? 'deployment' : 'deployments'}`}
          color="red"
          onClose={close}
        />
      )}
    </PermissionScopeContext>
  )
}
