import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Names and what they stand for; what is not known is left out. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className={classes.facts}>
    {Object.entries(facts).map(
      ([name, fact]) =>
        fact !== undefined && (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm">
              {fact}
            </Text>
          </div>
        ),
    )}
  </dl>
)
