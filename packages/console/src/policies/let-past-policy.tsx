import type { Policy } from '@sluice/contract'
import { client } from '../api/client.ts'
import { Here } from '../api/place.ts'
import { useChange } from '../api/use-change.ts'
import { AnyOrAll, AnyPipelineOrAll, givenIn, type Named, OneOrAll, ReasonAndMinutes } from '../freezes/past-fields.tsx'
import { placeOf } from '../freezes/place.ts'
import { FormModal } from '../ui/forms/form-modal.tsx'

type Props = {
  policy: Policy
  /** Pipeline that the page is about. */
  pipeline?: Named
}

/** Overrides a policy for a limited time. */
export const LetPastPolicy = ({ policy, pipeline }: Props) => {
  const { id, name, guards } = policy
  const isOfPipelines = guards === 'PIPELINE_VERSIONS'
  const label = `Override policy…`
  const give = useChange(
    (form: FormData) => {
      const data = givenIn(form, isOfPipelines ? 'pipelineId' : 'moduleInstanceId')
      return client.createPolicyOverride({ params: { id }, body: { data } })
    },
    // Retries the rejected version.
    ['listPolicyOverrides', 'createPipelineVersion'],
  )
  return (
    <Here value={placeOf(policy)}>
      <FormModal
        needs="policies:override"
        label={label}
        ariaLabel={`${label} ${name}`}
        title={`Override “${name}”`}
        submit="Override"
        change={give}
        button={{ size: 'xs', variant: 'default' }}
      >
        {pipeline ? (
          <OneOrAll one={pipeline} />
        ) : isOfPipelines ? (
          <AnyPipelineOrAll place={policy} />
        ) : (
          <AnyOrAll place={policy} />
        )}
        <ReasonAndMinutes />
      </FormModal>
    </Here>
  )
}
