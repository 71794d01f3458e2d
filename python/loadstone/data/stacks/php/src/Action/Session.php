<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Data\People;
use Olio\Data\Sessions;
use Olio\Message;
use Olio\Password;
use Olio\Response;
use Olio\Visit;

/** Logging in and out. */
final class Session extends Action
{
    public function form(): Response
    {
        return $this->page('Login', 'login', 'login', $this->view->part('login', ['username' => '']));
    }

    /** Checks name and password and begins a session, under an id that nobody could have known before. */
    public function login(): Response
    {
        $username = $this->params()->get('username');
        $found = (new People($this->db))->credentials($username);
        if (!Password::check($found['password'] ?? null, $this->params()->raw('password'))) {
            $form = $this->view->part('login', ['username' => $username]);
            return $this->again('Login', 'login', $form, Message::LoginWrong);
        }
        $session = Visit::freshSession();
        $old = $this->visit->viewer === null ? null : $this->visit->session;
        (new Sessions($this->db))->replace($old, $session, $found['id'], time(), $this->today);
        $response = $this->redirect('/', Message::LoggedIn, 302);
        $this->cookie($response, Visit::SESSION, $session);
        return $response;
    }

    /** Ends the session. A GET, as in Olio: being logged out by another site is a nuisance, not a harm. */
    public function logout(): Response
    {
        if ($this->visit->viewer !== null) {
            (new Sessions($this->db))->end($this->visit->session);
        }
        $response = $this->redirect('/', Message::LoggedOut, 302);
        $this->cookie($response, Visit::SESSION, '', 0);
        return $response;
    }
}
