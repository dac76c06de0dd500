import { Text } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { client } from '../api/client.ts'
import { PermissionScopeContext } from '../api/scope.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { usePermission } from '../api/use-permission.ts'
import { FormModal } from '../ui/forms/form-modal.tsx'
import {
  InstanceOrAll,
  type NamedRecord,
  overrideFromForm,
  ReasonAndDuration,
  RecordOrAll,
} from './override-fields.tsx'
import { permissionScopeOf } from './permission-scope.ts'

type Props = {
  freeze: Freeze
  /** Instance that the page is about. */
  instance?: NamedRecord | undefined
  /** Whether other freezes block it too, so that the label must name this one. */
  isOneOf?: boolean
}

/** Overrides a freeze for a limited time, or says who can. */
export const OverrideFreezeButton = (props: Props) => (
  <PermissionScopeContext value={permissionScopeOf(props.freeze)}>
    <Offer {...props} />
  </PermissionScopeContext>
)

const Offer = ({ freeze, instance, isOneOf = false }: Props) => {
  const { id, name } = freeze
  const { isAllowed, reason } = usePermission('freezes:override')
  const label = `Override freeze${isOneOf ? ` “${name}”` : ''}…`
  const give = useApiMutation(
    (form: FormData) =>
      client.createFreezeOverride({ params: { id }, body: { data: overrideFromForm(form, 'moduleInstanceId') } }),
    ['listActiveFreezes', 'listFreezeOverrides', 'getDeployment', 'listDeployments'],
  )
  if (!isAllowed) {
    return (
      reason !== '' && (
        <Text size="sm">
          An admin or owner of {ofPlace(freeze)} can override{isOneOf ? ` “${name}”` : ' the freeze'} or lift it.
        </Text>
      )
    )
  }
  return (
    <FormModal
      label={label}
      ariaLabel={`${label} ${name}`}
      title={`Override “${name}”`}
      submit="Override"
      change={give}
      button={{ size: 'xs', variant: 'default' }}
    >
      {instance ? <RecordOrAll one={instance} /> : <InstanceOrAll scope={freeze} />}
      <ReasonAndDuration />
    </FormModal>
  )
}

function ofPlace({ projectId, environmentId }: Freeze): string {
  if (projectId === undefined) return 'the organization'
  return environmentId === undefined ? 'the project' : 'the environment'
}
