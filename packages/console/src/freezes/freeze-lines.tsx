import { Alert, Group, Stack, Text } from '@mantine/core'
import type { Freeze, FreezeOverride } from '@sluice/contract'
import { IconSnowflake } from '../ui/icons.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { ClockTime, TimeAgo, useNow } from '../ui/time.tsx'
import { activeOverride, coversScope, type FreezeScope, type FreezesAndOverrides, isActive } from './active-freezes.ts'
import { describeBlocked, describeFreeze, describeReason } from './freeze-text.ts'
import { OverrideFreezeButton } from './override-freeze-button.tsx'
import { ScopeLink } from './scope-link.tsx'

type Props = {
  known: FreezesAndOverrides
  scope: FreezeScope
  instance: { id: string; name: string } | undefined
  isBrief: boolean
}

/** Shows one entry per freeze, active before upcoming. */
export const FreezeLines = (props: Props) => {
  const now = useNow(15_000)
  const byBegin = props.known.freezes
    .filter(({ period }) => period !== undefined && now < Date.parse(period.until))
    .toSorted((a, b) => Date.parse(a.period?.from ?? '') - Date.parse(b.period?.from ?? ''))
  return byBegin.map((freeze) => <One key={freeze.id} {...props} freeze={freeze} now={now} />)
}

type OneProps = Props & { freeze: Freeze; now: number }

const One = ({ freeze, known, scope, instance, isBrief, now }: OneProps) => {
  const isNow = isActive(freeze, now)
  const override = isNow ? activeOverride(known, freeze, scope, now) : undefined
  const isStopped = isNow && !override
  const isInPart = !coversScope(freeze, scope)
  return (
    <Alert
      color={isStopped ? 'orange' : 'water'}
      variant="light"
      role="status"
      icon={<IconSnowflake aria-hidden />}
      title={<Title freeze={freeze} isNow={isNow} override={override} />}
      {...(isBrief && { mb: 'sm' })}
    >
      {(isInPart || !isBrief) && (
        <Stack gap="xs" align="flex-start">
          {isInPart && (
            <Text size="sm">
              Applies only to part of this page: <ScopeLink rule={freeze} />
            </Text>
          )}
          {!isBrief && <Text size="sm">{override ? describeFreeze(freeze) : effectOf(freeze)}</Text>}
          {!isBrief && (
            <Group gap="md">
              {isStopped && <OverrideFreezeButton freeze={freeze} instance={instance} />}
              <FreezesHere scope={scope} />
            </Group>
          )}
        </Stack>
      )}
    </Alert>
  )
}

type TitleProps = { freeze: Freeze; isNow: boolean; override: FreezeOverride | undefined }

const Title = ({ freeze, isNow, override }: TitleProps) => {
  if (!isNow) return <Begins freeze={freeze} />
  if (!override) return describeFreeze(freeze)
  return (
    <>
      Override until <ClockTime at={override.until} /> by {override.createdBy}: {override.reason}
    </>
  )
}

const FreezesHere = ({ scope: { projectId, environmentId } }: { scope: FreezeScope }) => {
  const narrowest = environmentId ?? projectId
  return (
    <TextLink
      to="/console/settings/freezes"
      search={narrowest === undefined ? {} : { place: narrowest }}
      size="sm"
      c="inherit"
      underline="always"
    >
      Freezes here
    </TextLink>
  )
}

const Begins = ({ freeze: { period, name, reason } }: { freeze: Freeze }) =>
  period && (
    <>
      Freeze starts <TimeAgo at={period.from} />, until <ClockTime at={period.until} />:{' '}
      {describeReason({ name, reason })}
    </>
  )

/** Describes the effect of a freeze on new releases. */
function effectOf({ stops, onRelease, createdBy }: Freeze): string {
  const then = onRelease === 'WAIT' ? 'new releases wait until it ends' : 'new releases are rejected'
  const what = stops.includes('RELEASES') ? `; ${then}` : ''
  return `Blocks: ${describeBlocked(stops)}${what}. Created by ${createdBy}.`
}
