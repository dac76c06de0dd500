import { Group, Stack, Text } from '@mantine/core'
import type { PromotionCandidate } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { useCommandButton } from '../../commands/page-commands.ts'
import { Section } from '../../ui/section.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { PromotedImages } from '../promoted-images.tsx'

const asked = { include: ['promotion' as const] }

/** Shows the source of a promotion and the environments that it can be promoted to. */
export const PromotionPanel = ({ id }: { id: string }) => {
  const promotion = useOperation('getDeployment', { params: { id }, query: asked }).data?.included?.promotion
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data ?? []
  const from = promotion?.fromDeploymentId
  if (!promotion || (from === undefined && promotion.promotionCandidates.length === 0)) return null
  return (
    <Section title="Promotion">
      <Stack gap="xs">
        {from !== undefined && (
          <Text size="sm">
            Promoted from{' '}
            <TextLink to="/console/deployments/$id" params={{ id: from }} inherit>
              an earlier release
            </TextLink>
            .
          </Text>
        )}
        <PromotedImages images={promotion.images ?? []} />
        {promotion.promotionCandidates.map((step) => (
          <Step
            key={step.moduleInstanceId}
            step={step}
            from={id}
            name={environments.find((one) => one.id === step.environmentId)?.name ?? 'the next environment'}
          />
        ))}
      </Stack>
    </Section>
  )
}

const Step = ({ step, from, name }: { step: PromotionCandidate; from: string; name: string }) => {
  const { moduleInstanceId, deploymentId, message, start } = step
  const promoting = useCommandButton('promote')
  const going = start === 'AUTOMATIC' ? `Promotes to ${name} automatically.` : `Can be promoted to ${name}.`
  return (
    <Stack gap={2}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {deploymentId === undefined ? [going, message].filter(Boolean).join(' ') : `Deployed to ${name}.`}
      </Text>
      <Group gap="sm">
        {deploymentId !== undefined && (
          <TextLink size="sm" to="/console/deployments/$id" params={{ id: deploymentId }}>
            View deployment in {name}
          </TextLink>
        )}
        <TextLink
          ref={promoting}
          size="sm"
          to="/console/instances/$id"
          params={{ id: moduleInstanceId }}
          search={{ from }}
        >
          Promote to {name}…
        </TextLink>
      </Group>
    </Stack>
  )
}
