import { Card, Group, Stack, Text } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { SelectionCheckbox } from '../bulk/selection-checkbox.tsx'
import { useHealth } from '../services/use-health.ts'
import { useOffsetTop } from '../ui/use-offset-top.ts'
import { healthRequests } from './health-requests.ts'
import type { MatrixProps } from './matrix.tsx'
import { placedServices } from './placed-services.ts'
import classes from './service-cards.module.css'
import { ServiceCell } from './service-cell.tsx'
import { ServiceLink } from './service-link.tsx'

/** Shows services as cards with a line for each environment, for narrow screens. Virtualized like the matrix. */
export const ServiceCards = ({
  projectId,
  services,
  promotionCandidates,
  environments,
  selection,
  onEnd,
}: MatrixProps) => {
  const list = useRef<HTMLUListElement>(null)
  const virtual = useWindowVirtualizer({
    count: services.length,
    estimateSize: () => 56 + 32 * environments.length,
    getItemKey: (index) => services[index]?.givenId ?? index,
    overscan: 2,
    gap: 12,
    scrollMargin: useOffsetTop(list),
  })
  const cards = virtual.getVirtualItems()
  const last = cards.at(-1)?.index
  const healths = useHealth(
    healthRequests(
      services,
      cards.map(({ index }) => index),
    ),
  )
  useEffect(() => {
    if (last !== undefined && last >= services.length - 10) onEnd()
  }, [last, services.length, onEnd])
  return (
    <ul ref={list} className={classes.list} aria-label="Services" style={{ height: virtual.getTotalSize() }}>
      {cards.map(({ index, key, start }) => {
        const service = services[index]
        return (
          service && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={classes.item}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              <Card withBorder padding="sm">
                <Group gap="sm" wrap="nowrap">
                  {selection && (
                    <SelectionCheckbox of={selection} id={service.givenId} label={`Select ${service.name}`} />
                  )}
                  <ServiceLink projectId={projectId} service={service} />
                </Group>
                <Stack gap={0} mt={4}>
                  {placedServices(service, environments, promotionCandidates[service.givenId]).map((one) => (
                    <Group key={one.environment.id} className={classes.line} wrap="nowrap" gap="xs">
                      <Text size="sm" c="dimmed" className={classes.environment} truncate>
                        {one.environment.name}
                      </Text>
                      <ServiceCell of={one} serviceName={service.name} health={healths[one.place.moduleInstanceId]} />
                    </Group>
                  ))}
                </Stack>
              </Card>
            </li>
          )
        )
      })}
    </ul>
  )
}
