import type { Policy } from '@sluice/contract'
import { client } from '../api/client.ts'
import { PermissionScopeContext } from '../api/scope.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import {
  InstanceOrAll,
  type NamedRecord,
  overrideFromForm,
  PipelineOrAll,
  ReasonAndDuration,
  RecordOrAll,
} from '../freezes/override-fields.tsx'
import { permissionScopeOf } from '../freezes/permission-scope.ts'
import { FormModal } from '../ui/forms/form-modal.tsx'

type Props = {
  policy: Policy
  /** Pipeline that the page is about. */
  pipeline?: NamedRecord
}

/** Overrides a policy for a limited time. */
export const OverridePolicyButton = ({ policy, pipeline }: Props) => {
  const { id, name, guards } = policy
  const isOfPipelines = guards === 'PIPELINE_VERSIONS'
  const label = `Override policy…`
  const give = useApiMutation(
    (form: FormData) => {
      const data = overrideFromForm(form, isOfPipelines ? 'pipelineId' : 'moduleInstanceId')
      return client.createPolicyOverride({ params: { id }, body: { data } })
    },
    // Retries the rejected version.
    ['listPolicyOverrides', 'createPipelineVersion'],
  )
  return (
    <PermissionScopeContext value={permissionScopeOf(policy)}>
      <FormModal
        permission="policies:override"
        label={label}
        ariaLabel={`${label} ${name}`}
        title={`Override “${name}”`}
        submit="Override"
        change={give}
        button={{ size: 'xs', variant: 'default' }}
      >
        {pipeline ? (
          <RecordOrAll one={pipeline} />
        ) : isOfPipelines ? (
          <PipelineOrAll scope={policy} />
        ) : (
          <InstanceOrAll scope={policy} />
        )}
        <ReasonAndDuration />
      </FormModal>
    </PermissionScopeContext>
  )
}
