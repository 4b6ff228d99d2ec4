// Small helps for the reader. Everything is there without them. ASCII only.
'use strict';
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.documentElement;

  const save = (name, type, text) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // ---- light and dark; a page from the disk may be refused storage
  const stored = {
    get: () => { try { return localStorage.getItem('pilfer-theme'); } catch { return null; } },
    set: (value) => { try { localStorage.setItem('pilfer-theme', value); } catch { /* then it lasts until closed */ } },
  };
  const is_dark = () => root.dataset.theme
    ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  if (['dark', 'light'].includes(stored.get())) root.dataset.theme = stored.get();
  const theme = one('#theme');
  const name_theme = () => { theme.textContent = is_dark() ? 'Light' : 'Dark'; };
  theme.addEventListener('click', () => {
    root.dataset.theme = is_dark() ? 'light' : 'dark';
    stored.set(root.dataset.theme);
    name_theme();
  });
  name_theme();

  // ---- downloads
  one('#download').addEventListener('click', () => {
    save('results.json', 'application/json', one('#results').textContent);
  });
  const cell = (text) => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  const csv_of = (table) => all('tr', table)
    .map((row) => [...row.cells].map((each) => cell(each.dataset.v ?? each.textContent)).join(',')).join('\n') + '\n';
  for (const button of all('button.csv')) {
    const details = button.previousElementSibling;
    button.addEventListener('click', () => save(button.dataset.file, 'text/csv', csv_of(one('table', details))));
  }

  // ---- tooltips: the words of <title>, at once and beside the pointer
  const tip = one('#tip');
  const words = (mark) => {
    const title = one(':scope > title', mark);
    if (title) {
      mark.dataset.tip = title.textContent;
      title.remove();  // or the browser shows its own as well
    }
    return mark.dataset.tip;
  };
  const show_tip = (event) => {
    const mark = event.target.closest?.('.mark');
    if (!mark) { tip.hidden = true; return; }
    const [first, ...rest] = words(mark).split('\n');
    const head = document.createElement('b');
    head.textContent = first;
    tip.replaceChildren(head, rest.join('\n'));
    tip.hidden = false;
    const gap = 14;
    const {width, height} = tip.getBoundingClientRect();
    const x = event.clientX + gap + width > innerWidth ? event.clientX - gap - width : event.clientX + gap;
    const y = event.clientY + gap + height > innerHeight ? event.clientY - gap - height : event.clientY + gap;
    tip.style.left = Math.max(4, x) + 'px';
    tip.style.top = Math.max(4, y) + 'px';
  };
  document.addEventListener('pointermove', show_tip);
  document.addEventListener('pointerdown', show_tip);
  document.addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});

  // ---- legends: point at a series to see it alone, click to hide it
  for (const item of all('.legend li[data-i]')) {
    const figure = item.closest('figure');
    const marks = () => all('.plot svg .i' + item.dataset.i, figure);
    item.tabIndex = 0;
    item.setAttribute('role', 'button');
    item.setAttribute('aria-pressed', 'true');
    const toggle = () => {
      const off = item.classList.toggle('off');
      item.setAttribute('aria-pressed', String(!off));
      for (const mark of marks()) mark.classList.toggle('off', off);
    };
    item.addEventListener('click', toggle);
    item.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
    });
    const light = (on) => {
      figure.classList.toggle('dim', on);
      for (const mark of marks()) mark.classList.toggle('lit', on);
    };
    item.addEventListener('pointerenter', () => light(true));
    item.addEventListener('pointerleave', () => light(false));
  }

  // ---- claims by verdict and by words
  const table = one('#all-claims');
  if (table) {
    const tiles = all('.tile');
    const find = one('#find-claim');
    const filter = () => {
      const chosen = tiles.filter((tile) => tile.getAttribute('aria-pressed') === 'true').map((tile) => tile.dataset.filter);
      const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const body of table.tBodies) {
        const title = body.rows[0].textContent.toLowerCase();
        let any = false;
        for (const row of all('tr.claim', body)) {
          const text = title + ' ' + row.textContent.toLowerCase();
          row.hidden = (chosen.length > 0 && !chosen.includes(row.dataset.verdict)) || !wanted.every((word) => text.includes(word));
          any ||= !row.hidden;
          shown += row.hidden ? 0 : 1;
        }
        body.hidden = !any;
      }
      one('#found').textContent = chosen.length || wanted.length ? shown + (shown === 1 ? ' claim' : ' claims') : '';
    };
    for (const tile of tiles) {
      tile.addEventListener('click', () => {
        tile.setAttribute('aria-pressed', String(tile.getAttribute('aria-pressed') !== 'true'));
        filter();
      });
    }
    find.addEventListener('input', filter);
  }

  // ---- what suits: answers choose workloads; who is best, or as good, in most of them is named first
  const advise = () => {
    const chosen = all('#questions select').map((select) => select.value).filter(Boolean);
    const advice = one('#advice');
    for (const each of all('[data-workload]')) each.classList.toggle('chosen', chosen.includes(each.dataset.workload));
    advice.replaceChildren();
    if (chosen.length === 0) return;
    const paragraph = (text, name) => {
      const made = document.createElement('p');
      made.textContent = text;
      if (name) made.className = name;
      advice.append(made);
    };
    const votes = new Map();
    const lines = [];
    let contests = 0;
    for (const id of chosen) {
      const work = one('details.work[data-workload="' + id + '"]');
      if (!work) { lines.push('Nothing was measured in this run for one of your answers.'); continue; }
      for (const ranking of all('.ranking', work)) {
        contests += 1;
        const fit = all('li', ranking).filter((each) => each.dataset.state !== 'behind').map((each) => each.dataset.impl);
        for (const impl of fit) votes.set(impl, (votes.get(impl) ?? 0) + 1);
        lines.push(one('.name', work).textContent + ', by ' + ranking.dataset.suite + ': ' + fit.join(', '));
      }
    }
    const most = Math.max(0, ...votes.values());
    const best = [...votes].filter(([, count]) => count === most).map(([impl]) => impl);
    if (best.length > 0) {
      paragraph(best.join(' or '), 'pick');
      paragraph('best, or not to be told from the best, in ' + most + ' of ' + contests + ' rankings that match your answers:');
    }
    for (const line of lines) paragraph(line);
  };
  one('#questions')?.addEventListener('change', advise);

  // ---- contents: where am I? And links into what is folded open it.
  const links = new Map();
  for (const link of all('nav.side a')) links.set(link.hash.slice(1), link);
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.classList.remove('here');
      links.get(entry.target.id)?.classList.add('here');
    }
  }, {rootMargin: '-10% 0px -80% 0px'});
  for (const section of all('main > section[id]')) watcher.observe(section);
  for (const link of all('.menu a')) link.addEventListener('click', () => { one('.menu').open = false; });
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === 'DETAILS') target.open = true;
  };
  addEventListener('hashchange', unfold);
  unfold();
})();
