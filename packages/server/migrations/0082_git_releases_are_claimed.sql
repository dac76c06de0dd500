-- Until when one call alone may have the host make its record of a release: two at once would make two.
ALTER TABLE "git_releases" ADD COLUMN "claimed_until" timestamp (3) with time zone;
