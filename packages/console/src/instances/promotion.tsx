import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Deployment, ModuleInstance, PromotionCandidate } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { PromotedImages } from '../deployments/promoted-images.tsx'
import { deploymentTitle, useTargetNames } from '../deployments/target-names.ts'
import { FreezeNote, useFreezeRejection } from '../freezes/freeze-note.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { DifferenceList } from '../ui/difference-list.tsx'
import { differencesOf } from '../ui/differences.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconArrowRight } from '../ui/icons.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'

type Props = { instance: ModuleInstance; from: string }

/** Promotes a deployment from another environment after showing the differences. */
export const Promotion = ({ instance, from }: Props) => {
  const deployment = useOperation('getDeployment', { params: { id: from }, query: { include: ['promotion'] } })
  return (
    <QueryResult of={deployment}>
      {({ data, included }) => (
        <Offer
          instance={instance}
          deployment={data}
          step={included?.promotion?.promotionCandidates.find(
            ({ moduleInstanceId }) => moduleInstanceId === instance.id,
          )}
        />
      )}
    </QueryResult>
  )
}

type OfferProps = { instance: ModuleInstance; deployment: Deployment; step: PromotionCandidate | undefined }

const Offer = ({ instance, deployment, step }: OfferProps) => {
  const { id: moduleInstanceId, name } = instance
  const router = useRouter()
  const names = useTargetNames(deployment)
  const running = useOperation('listDeployments', { query: { moduleInstanceId, status: ['SUCCESS'], limit: 1 } })
  const [version, now] = [deployment, running.data?.data[0]].map((one) => versionOf(releaseMarksOf(one?.data)))
  const here = { ...instance, moduleInstanceId }
  const mutationError = useFreezeRejection('RELEASES', here)
  const [reason, setReason] = useState('')
  const isKept = step?.canPromoteManually === false
  const promote = useApiMutation(
    () => {
      const data = { moduleInstanceId, ...(isKept && { override: { reason: reason.trim() } }) }
      return client.promoteDeployment({ params: { id: deployment.id }, body: { data } })
    },
    ['listDeployments'],
    ({ data }) => router.navigate({ to: '/console/deployments/$id', params: { id: data.id } }),
  )
  return (
    <Section title={`Promote ${version ?? 'this release'}`}>
      <Stack>
        {promote.error && <ErrorPanel error={errorOf(promote.error)} />}
        <Text size="sm">
          Deploys {deploymentTitle(deployment, names)} to {name} with the same inputs.{' '}
          {now === undefined ? 'Nothing is deployed here yet.' : `${now} is live here now.`}
        </Text>
        <ConfigurationDifferences there={deployment.moduleInstanceId} here={moduleInstanceId} />
        {step && <RuleResult step={step} />}
        {isKept && <Override reason={reason} onChange={setReason} />}
        <Group>
          <PermissionButton
            permission={isKept ? 'promotion-rules:override' : 'deployments:write'}
            command="promote"
            leftSection={<IconArrowRight size={16} aria-hidden />}
            loading={promote.isPending}
            disabledReason={
              mutationError ??
              (isKept && reason.trim() === ''
                ? 'Blocked by a promotion rule. Enter a reason to override it.'
                : undefined)
            }
            onClick={() => promote.mutate(undefined)}
          >
            Promote {version ?? 'release'}
          </PermissionButton>
          <Button
            variant="default"
            onClick={() => router.navigate({ to: '/console/instances/$id', params: { id: moduleInstanceId } })}
          >
            Cancel
          </Button>
          <FreezeNote scope={here} />
        </Group>
      </Stack>
    </Section>
  )
}

/** Shows the promotion rule's result and what the release would wait for. */
const RuleResult = ({ step: { message, blocker, images, gates } }: { step: PromotionCandidate }) => (
  <>
    <PromotedImages images={images} />
    {message !== undefined && blocker !== 'MANUAL' && (
      <Alert color="orange" variant="light" title="Blocked by a promotion rule">
        {message}
      </Alert>
    )}
    {gates.map((gate) => (
      <Text key={gate.message} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {gate.message}
      </Text>
    ))}
  </>
)

const Override = ({ reason, onChange }: { reason: string; onChange: (reason: string) => void }) => (
  <TextInput
    label="Reason for the override"
    description="Recorded in the audit log."
    maw={480}
    maxLength={500}
    value={reason}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

/** Shows configuration differences between the environments, which can break the version here. */
const ConfigurationDifferences = ({ there, here }: { there: string; here: string }) => {
  const [before, after] = [
    useOperation('getModuleInstanceInputs', { params: { id: there } }),
    useOperation('getModuleInstanceInputs', { params: { id: here } }),
  ]
  return (
    <QueryResult of={before} lines={2}>
      {({ data: old }) => (
        <QueryResult of={after} lines={2}>
          {({ data }) => {
            const differences = differencesOf(old.values, data.values)
            return (
              <>
                {old.version !== data.version && (
                  <Alert color="orange" variant="light" title="Different module version">
                    {old.version} in the source environment, {data.version} here.
                  </Alert>
                )}
                <Text size="sm" fw={600}>
                  {differences.length === 0
                    ? 'Both have the same configuration.'
                    : 'Different configuration: source −, here +'}
                </Text>
                <DifferenceList differences={differences} />
              </>
            )
          }}
        </QueryResult>
      )}
    </QueryResult>
  )
}
